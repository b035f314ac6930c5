/** As much of a browser as forms need: cookies, redirects, and the hidden fields of a form. */

/** Somebody's browser. Every method resolves with the page that it ends at, and rejects when that is an error. */
export type Browser = {
  get(path: string): Promise<string>
  /** Sends a form; a Blob is an uploaded file. */
  post(path: string, form: Record<string, string | File>): Promise<string>
  /** Sends JSON. */
  send(method: string, path: string, body: object | undefined, headers: Record<string, string>): Promise<string>
}

/** A browser with no cookies yet. */
export function createBrowser(origin: string): Browser {
  const cookies = new Map<string, string>()

  async function request(address: string, init: RequestInit): Promise<string> {
    const headers = new Headers(init.headers)
    headers.set('cookie', Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; '))
    headers.set('referer', address)
    const response = await fetch(address, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const text = await response.text()
    const next = response.headers.get('location')
    if (next !== null) return request(new URL(next, address).href, {})
    if (!response.ok)
      throw new Error(`${init.method ?? 'GET'} ${address} answered ${response.status}: ${visible(text)}`)
    return text
  }

  const at = (path: string) => new URL(path, origin).href
  return {
    get: (path) => request(at(path), {}),
    post(path, form) {
      const isUpload = Object.values(form).some((value) => value instanceof File)
      const body = isUpload ? new FormData() : new URLSearchParams()
      for (const [name, value] of Object.entries(form)) (body as FormData).append(name, value)
      return request(at(path), { method: 'POST', body })
    },
    send: (method, path, body, headers) =>
      request(at(path), {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
}

/** The hidden fields of the form whose markup contains the words. */
export function formOf(page: string, words: string): Record<string, string> {
  const form = page.match(/<form\b[\s\S]*?<\/form>/g)?.find((one) => one.includes(words))
  if (form === undefined) throw new Error(`There is no form with “${words}” in: ${visible(page)}`)
  const fields: Record<string, string> = {}
  for (const [tag] of form.matchAll(/<input\b[^>]*type=["']hidden["'][^>]*>/g)) {
    const [, name] = /name=["']([^"']*)["']/.exec(tag) ?? []
    const [, value = ''] = /value=["']([^"']*)["']/.exec(tag) ?? []
    if (name !== undefined) fields[name] = decoded(value)
  }
  return fields
}

/** The address of the link with these words, and with these in its address. */
export function linkOf(page: string, words: string, inAddress = ''): string {
  const links = Array.from(page.matchAll(/<a\b[^>]*href="([^"]*)"[^>]*>([\s\S]*?)<\/a>/g))
  const [, address] = links.find(([, to = '', text = '']) => text.includes(words) && to.includes(inAddress)) ?? []
  if (address === undefined) throw new Error(`There is no link “${words}” in: ${visible(page)}`)
  return decoded(address)
}

function decoded(value: string): string {
  return value.replaceAll('&#038;', '&').replaceAll('&quot;', '"').replaceAll('&#039;', "'").replaceAll('&amp;', '&')
}

/** What somebody reads on a page, for messages. */
function visible(page: string): string {
  const text = page.replace(/<(style|script|head)\b[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ')
  return text.replace(/\s+/g, ' ').slice(0, 1_000)
}
