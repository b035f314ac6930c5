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
