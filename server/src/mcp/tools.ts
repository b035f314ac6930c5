import type { Scope } from '../accounts/index.ts'
import { listFailures, listSites, postStanding, retryDelivery } from './delivery.ts'
import { generateDraft, generationStatus } from './generation.ts'
import {
  compareRevisions,
  convertText,
  createDraft,
  editPost,
  findPosts,
  listRevisions,
  proposePublication,
  readPost,
} from './posts.ts'
import type { Tool } from './tool.ts'

/** What tools may need. Whatever more a token may do, an agent may not: so publishing is refused by the endpoints, too, if a post is published under an edit. */
export const AGENT_SCOPES: readonly Scope[] = [
  'posts:read',
  'posts:write',
  'sites:read',
  'deliveries:retry',
  'generate',
]

/** All tools, in the order in which agents see them. None publishes, withdraws, deletes, or reads a secret. */
export const TOOLS: readonly Tool[] = [
  findPosts,
  readPost,
  createDraft,
  editPost,
  proposePublication,
  convertText,
  listRevisions,
  compareRevisions,
  generateDraft,
  generationStatus,
  listSites,
  postStanding,
  listFailures,
  retryDelivery,
]
