import { once } from 'node:events'
import { createServer } from 'node:http'

/** Sends an answer of a vector: text, JSON or lines of JSON. */
const send = (response, { status = 200, headers, body, lines }) => {
  response.writeHead(status, headers)
  if (lines) response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  else response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/**
 * Starts a server that sends these answers one after another, and records the requests. An answer may be a
 * function of request and response. The server counts connections.
 */
export const startScript = async (t, answers) => {
  const asked = []
  let connections = 0
  const server = createServer((request, response) => {
    const answer = answers[asked.length]
    asked.push({ target: request.url, headers: request.headers })
    if (typeof answer === 'function') answer(response, request)
    else if (answer) send(response, answer)
    else response.writeHead(500).end()
  })
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    get connections() {
      return connections
    },
  }
}
