/** Plain requests, for what the SDK would not send. */
export type PlainResponse = { status: number; headers: Headers; json: Record<string, unknown> }

/** Sends a request and parses the answer; an empty answer is `{}`. */
export async function request(
  url: string,
  {
    method = 'GET',
    token,
    body,
    raw,
    headers = {},
  }: {
    method?: string
    token?: string | undefined
    body?: unknown
    raw?: string | Uint8Array<ArrayBuffer>
    headers?: Record<string, string>
  } = {},
): Promise<PlainResponse> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { body: payload }),
  })
  const text = await response.text()
  const isJson = text !== '' && response.headers.get('content-type') !== 'application/zip'
  return { status: response.status, headers: response.headers, json: isJson ? JSON.parse(text) : {} }
}
