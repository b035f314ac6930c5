import { createCheckedKey, looksLikeCheckedKey } from '../platform/checked-key.ts'

const PREFIX = 'pr_'

/** A new API key of a site. */
export const createApiKey = (): string => createCheckedKey(PREFIX)

/** Whether `text` has the form and the checksum of a site's API key. The key need not exist. */
export const looksLikeApiKey = (text: string): boolean => looksLikeCheckedKey(PREFIX, text)
