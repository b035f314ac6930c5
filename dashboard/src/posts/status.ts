/** The statuses of posts, in the words and colours that all screens use. */
export const POST_STATUSES = {
  draft: { name: 'Draft', tone: 'plain' },
  scheduled: { name: 'Scheduled', tone: 'waiting' },
  published: { name: 'Published', tone: 'arrived' },
  trash: { name: 'Deleted', tone: 'plain' },
} as const
