import type { preHandlerHookHandler } from 'fastify'
import { refuseParameters } from '../app/records/query/no-parameters.ts'

/** For routes that read a body and nothing of the address. */
export const refuseAddressParameters: preHandlerHookHandler = ({ raw: { url = '' } }, _reply, next) => {
  const mark = url.indexOf('?')
  if (mark !== -1) {
    refuseParameters(
      url.slice(mark + 1),
      'This takes no parameters in the address: send what it needs in the body',
    )
  }
  next()
}
