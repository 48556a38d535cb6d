import type { Expected, Fault } from './fault.ts'
import { startDeployedHaproxy } from './haproxy.ts'
import type { Stage } from './stage.ts'

const victim = 1

const expected: Expected = {
  text: 'every read answered, a login in progress may be lost, or refused while an instance starts',
  // A login may already have taken effect, so it is not repeated. A starting instance listens immediately,
  // and answers 503 with Retry-After until it has opened its stores.
  allowed: { login: ['no answer: ECONNRESET', '502 of the proxy', '503 unavailable'] },
}

const killing: Pick<Fault, 'start' | 'end'> = {
  async start({ services }) {
    await services[victim]?.stop('SIGKILL')
  },
  end: (stage) => stage.startInstance(victim),
}

const listPorts = ({ services }: Stage) => services.map(({ port }) => port)

export const instanceKilled: Fault = {
  name: 'an instance killed (SIGKILL), clients try the other one',
  expected,
  open: async (stage) => ({ route: { ports: listPorts(stage), triesOther: true }, close: async () => {} }),
  ...killing,
}

export const instanceKilledBehindProxy: Fault = {
  name: 'an instance killed (SIGKILL) behind deploy/haproxy.cfg',
  expected,
  async open(stage) {
    const { port, close } = await startDeployedHaproxy(listPorts(stage))
    return { route: { ports: [port] }, close }
  },
  ...killing,
}
