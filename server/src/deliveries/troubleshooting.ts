import type { ProbeResult } from '../destinations/index.ts'

const WHEN_SILENT: Record<string, string> = {
  timeout:
    'Your site did not answer in time. Answer 200 before slow work, and check that no firewall drops the request.',
  dns_error: 'The host name of the webhook address could not be resolved. Check its spelling and your DNS records.',
  connection_refused: 'Nothing listens at the webhook address. Check the port and that your site is running.',
  connection_reset:
    'Your site closed the connection before it answered. Look for a crash or a firewall in front of it.',
  tls_error:
    'The TLS certificate could not be verified. Check that it is valid, that it matches the host name and that your site sends the whole chain.',
  blocked_address:
    'The webhook address leads to an address that this service does not call, such as a private one. Use a public address, or ask the operator to allow this one.',
  invalid_url: 'The webhook address cannot be called. Use an https address without a user name and password.',
  protocol_error: 'The answer of your site is not valid HTTP. Check that the port serves HTTP.',
  internal_error: 'This service could not make the request. Ask its operator to look at the log.',
}

const WHEN_ANSWERED: Record<number, string> = {
  400: 'Your site refused the request as malformed. Read the raw body, and verify the signature before parsing it.',
  401: "Your site refused the signature or requires a login. Check that it has this site's present connection code (or webhook_secret), and that it verifies the raw body.",
  403: 'Your site or a firewall in front of it forbids the request. Allow POST requests to the webhook address.',
  404: 'There is nothing at the webhook address. Check its path; with WordPress, that the plugin is active.',
  405: 'The webhook address does not accept POST requests. Check its path, and that your site handles POST there.',
  413: 'Your site refused the body as too large. Raise its limit to at least 4 MB.',
}

/** A hint for the developer of a site: what to check, given how an attempt failed. */
export function troubleshoot(result: Pick<ProbeResult, 'code' | 'error'>): string {
  if (result.code === null)
    return (
      WHEN_SILENT[result.error ?? ''] ??
      'The connection failed. Check that the webhook address can be reached from the internet.'
    )
  const known = WHEN_ANSWERED[result.code]
  if (known !== undefined) return known
  if (result.code >= 500)
    return `Your site answered ${result.code}: it failed while handling the webhook. Look at its log.`
  if (result.code >= 300 && result.code < 400)
    return `Your site answered with a redirect (${result.code}), which is not followed. Set the webhook address to the final address.`
  return `Your site answered ${result.code}; only 200 counts as received.`
}

/** The same for the deploy hook of a host. */
export function troubleshootHook({ code, error }: Pick<ProbeResult, 'code' | 'error'>): string {
  if (code === null) return troubleshoot({ code, error })
  if ([400, 401, 403, 404, 405, 410].includes(code))
    return `The host answered ${code}: it does not know this deploy hook. It may have been deleted; make a new one there and copy its address.`
  return `The host answered ${code} and did not start a build. Look at the site's deploys there.`
}
