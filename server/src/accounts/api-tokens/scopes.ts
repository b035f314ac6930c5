/** What a program's token may do. A login may do everything. */
export const SCOPES = {
  'posts:read': 'Read posts, their history and their deliveries; follow events; export.',
  'posts:write': 'Write drafts and changes that are not published.',
  'posts:publish': 'Publish, schedule, change or withdraw what is published, delete, import.',
  'sites:read': 'List the sites.',
  'sites:write': 'Connect, change, test and disconnect sites.',
  'secrets:read': "Read sites' API keys and webhook secrets.",
  'media:write': 'Upload, change and delete pictures.',
  'analytics:read': 'Read figures, failures and incidents.',
  'deliveries:retry': 'Send again what has failed or is missing.',
  generate: 'Have drafts written.',
} as const

/** The name of a right. */
export type Scope = keyof typeof SCOPES

/** All of them, in the order in which people are asked. */
export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]]
