/** The calls of the Management API about programs' tokens. They need a login: no token makes tokens. */
import type { CallOptions, Transport } from './transport.ts'
import type { ApiTokenList, CreateApiToken, NewApiToken } from './types.ts'

const PATH = '/api/tokens'

/** The calls, which a client has under `tokens`. */
export function tokenCalls(call: Transport) {
  return {
    /** Makes a token. It is in this answer and nowhere else. */
    create: (input: CreateApiToken, { signal }: CallOptions = {}) =>
      call<NewApiToken>({ method: 'POST', path: PATH, body: input, signal }),
    list: ({ signal }: CallOptions = {}) => call<ApiTokenList>({ method: 'GET', path: PATH, signal }),
    /** From then on, no request with the token is answered. */
    revoke: (id: string, { signal }: CallOptions = {}) =>
      call<void>({ method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}`, signal }),
  }
}
