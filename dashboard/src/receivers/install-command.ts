/** What to install of npm's registry, separated by spaces, and of this service. */
export type Install = { packages: string; own: { name: string; version: string } }

/** The command that installs what a receiver needs from the service at `origin`. A host's build server reaches only a public one. */
export function installCommand({ packages, own }: Install, origin: string): string {
  const file = `${own.name.replace('@', '').replace('/', '-')}-${own.version}.tgz`
  const address = `${origin}/packages/${file}`
  const others = packages === '' ? '' : `${packages} `
  return isPublic(new URL(origin).hostname)
    ? `npm install ${others}${address}`
    : `curl --create-dirs -o vendor/${file} ${address}\nnpm install ${others}./vendor/${file}`
}

/** Whether a name may be one that the whole internet knows: not this machine, a private address or a name without a domain. */
export function isPublic(host: string): boolean {
  const isLocal = /^(127|10|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\.|^\[|\.(local|internal|lan|home|test)$/.test(
    host,
  )
  return host.includes('.') && !isLocal
}
