import type { ApiToken } from '@postrider/sdk'

export type Scope = ApiToken['scopes'][number]

/** What each scope lets a program do: in a list of several, and where people choose. */
export const WORDS: Record<Scope, { short: string; long: string }> = {
  'posts:read': { short: 'reads posts', long: 'Read posts and where they have arrived' },
  'posts:write': { short: 'writes drafts', long: 'Write drafts, and changes that stay unpublished' },
  'posts:publish': { short: 'publishes and deletes', long: 'Publish, schedule, change what is published, delete' },
  'sites:read': { short: 'reads sites', long: 'List the sites' },
  'sites:write': { short: 'changes sites', long: 'Connect, change and disconnect sites' },
  'secrets:read': { short: 'reads secrets', long: 'Read the keys and secrets of sites' },
  'media:write': { short: 'uploads pictures', long: 'Upload, change and delete pictures' },
  'analytics:read': { short: 'reads figures', long: 'Read figures, failures and incidents' },
  'deliveries:retry': { short: 'sends again', long: 'Send again what has failed or is missing' },
  generate: { short: 'has drafts written', long: 'Have drafts written by the language model' },
}

/** What most programs are for. */
export const PRESETS: Array<{ name: string; hint: string; scopes: Scope[] }> = [
  {
    name: 'Write, while I publish',
    hint: 'For assistants and agents',
    scopes: ['posts:read', 'posts:write', 'sites:read', 'media:write'],
  },
  {
    name: 'Write and publish',
    hint: 'For scripts and builds of your own',
    scopes: ['posts:read', 'posts:write', 'posts:publish', 'sites:read', 'media:write'],
  },
  { name: 'Only read', hint: 'For statistics and backups', scopes: ['posts:read', 'sites:read', 'analytics:read'] },
]
