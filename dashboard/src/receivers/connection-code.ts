import { connectionCode, type SiteWithSecrets } from '@postrider/sdk'

/** The connection code of a site: all that its code needs to receive from this service. It contains the site's secrets. */
export function connectionCodeOf({ id, api_key: key, webhook_secret: secret }: SiteWithSecrets): string {
  return connectionCode({ url: location.origin, site: id, key, secret })
}
