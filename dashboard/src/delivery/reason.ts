/** Why a delivery did not arrive, in a few words for people. */

const REASONS: Record<string, string> = {
  timeout: 'No answer in time',
  dns_error: 'Host name not found',
  connection_refused: 'Connection refused',
  connection_reset: 'Connection closed without an answer',
  tls_error: 'Certificate not accepted',
  blocked_address: 'Private address, which is not called',
  invalid_url: 'The address cannot be called',
  protocol_error: 'The answer was not HTTP',
  network_error: 'Connection failed',
  internal_error: 'A problem with this service',
  superseded: 'Replaced by something newer',
  site_deleted: 'The site was disconnected',
}

/** What went wrong with an attempt, perhaps in the site's own words; undefined when nothing did. */
export function reasonOf(code: number | null, error: string | null): string | undefined {
  if (error === null) return undefined
  if (error === 'redirect_not_followed') return `Redirect (${code}), which is not followed`
  if (error === 'http_error') return `Answered ${code}`
  return REASONS[error] ?? error
}
