import { connect as connectTcp } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { AbstractConnector, Cluster, type ClusterOptions, type RedisOptions } from 'ioredis'

const clusterScheme = /^(rediss?)-cluster:\/\//

/** Whether the URL names a cluster: `redis[s]-cluster://host:port,host:port`. */
export const isClusterUrl = (url: string): boolean => clusterScheme.test(url)

const parseClusterUrl = (url: string) => {
  const [authority = ''] = url.replace(clusterScheme, '').split('/')
  const hostsAt = authority.lastIndexOf('@') + 1
  const nodes = authority
    .slice(hostsAt)
    .split(',')
    .map((node) => {
      const { hostname, port } = new URL(`redis://${node}`)
      // Sockets accept IPv6 addresses only without brackets.
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }
    })
  const { username, password } = new URL(`redis://${authority.slice(0, hostsAt)}node`)
  const login = {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(url.startsWith('rediss') ? { tls: {} } : {}),
  }
  return { nodes, login }
}

type NodeOptions = {
  host: string
  port: number
  family?: number
  tls?: ConnectionOptions
  disconnectTimeout: number
}

/** ioredis's own connector hides the error of the connection that reads the slots. */
const createConnector = (onError: (error: Error, node: string) => void) =>
  class NodeConnector extends AbstractConnector {
    readonly #node: NodeOptions

    constructor(options: unknown) {
      super((options as NodeOptions).disconnectTimeout)
      this.#node = options as NodeOptions
    }

    async connect() {
      const { host, port, family, tls } = this.#node
      this.connecting = true
      const address = { host, port, ...(family ? { family } : {}) }
      this.stream = tls ? connectTls({ ...address, ...tls }) : connectTcp(address)
      this.stream.once('error', (error: Error) => {
        this.firstError = error
        onError(error, `${host}:${port}`)
      })
      return this.stream
    }
  }

/** ioredis's text for commands of a connection that failed. Its reason was reported before. */
const closed = 'Connection is closed.'

/**
 * Connects to `redis[s]-cluster://host:port,host:port`. Names are looked up at each connection, because the certificate
 * of a node is for its name. If no node can be used, the `error` event has the error of the last one.
 */
export const createCluster = (
  url: string,
  nodeOptions: Omit<RedisOptions, 'replyMapping'>,
  options: Omit<ClusterOptions, 'redisOptions'>,
): Cluster => {
  const { nodes, login } = parseClusterUrl(url)
  let lastError = ''
  const cluster = new Cluster(nodes, {
    ...options,
    dnsLookup: (name, callback) => callback(null, name),
    redisOptions: {
      ...nodeOptions,
      ...login,
      Connector: createConnector(({ message }, node) => {
        lastError = `${node}: ${message}`
      }),
    },
  })
  cluster.on('node error', ({ message }: Error, node: string) => {
    if (message !== closed) lastError = `${node}: ${message}`
  })
  cluster.on('error', (error: Error) => {
    if (lastError !== '') error.message = `no node of the cluster can be used, the last is ${lastError}`
  })
  return cluster
}
