import type { PostriderClient, Site } from '@postrider/sdk'
import { CommandError } from '../command.ts'

/** The site with this name or id; without one, the account's only site. Throws CommandError unless there is exactly one. */
export async function siteNamed(client: PostriderClient, name: string | boolean | undefined): Promise<Site> {
  const { sites } = await client.sites.list()
  const found = typeof name === 'string' ? sites.filter((site) => site.name === name || site.id === name) : sites
  const [site] = found
  if (site !== undefined && found.length === 1) return site
  const names = sites.map((one) => one.name).join(', ') || 'none'
  if (typeof name !== 'string') throw new CommandError(`Say which site: --site NAME. There are: ${names}.`)
  throw new CommandError(
    found.length > 1
      ? `Several sites are called "${name}": give the id.`
      : `There is no site "${name}". There are: ${names}.`,
  )
}
