import type { Migration } from 'kysely/migration'
import * as foundation from './2026-11-21-foundation.ts'
import * as limits from './2026-11-21-limits.ts'
import * as outcomes from './2026-11-21-outcomes.ts'
import * as pull from './2026-11-21-pull.ts'
import * as siteDetection from './2026-11-21-site-detection.ts'
import * as uncertain from './2026-11-21-uncertain.ts'
import * as unrepeated from './2026-11-21-unrepeated.ts'
import * as catalogs from './2026-11-22-catalogs.ts'
import * as deliveryLog from './2026-11-22-delivery-log.ts'
import * as generation from './2026-11-22-generation.ts'
import * as lists from './2026-11-22-lists.ts'
import * as vacuum from './2026-11-22-vacuum.ts'
import * as deliveryDays from './2026-11-23-delivery-days.ts'
import * as updatedPosts from './2026-11-23-updated-posts.ts'
import * as visibleByName from './2026-11-23-visible-by-name.ts'
import * as listedPosts from './2026-11-24-listed-posts.ts'
import * as hoursOfLanes from './2026-11-25-hours-of-lanes.ts'
import * as plainWords from './2026-11-26-plain-words.ts'
import * as readUntil from './2026-11-26-read-until.ts'
import * as setsOfDuePosts from './2026-11-26-sets-of-due-posts.ts'
import * as revisionsByTime from './2026-11-27-revisions-by-time.ts'
import * as timesAsFences from './2026-11-27-times-as-fences.ts'
import * as timesAsGenerations from './2026-11-27-times-as-generations.ts'
import * as whoWorksForLong from './2026-11-27-who-works-for-long.ts'
import * as endedSessions from './2026-11-28-ended-sessions.ts'
import * as loginNetworks from './2026-11-28-login-networks.ts'
import * as markdownForSites from './2026-11-28-markdown-for-sites.ts'
import * as plainEmails from './2026-11-28-plain-emails.ts'
import * as plainEngine from './2026-11-28-plain-engine.ts'
import * as wordsOfPosts from './2026-11-28-words-of-posts.ts'
import * as firstPublished from './2026-11-29-first-published.ts'
import * as scheduleZone from './2026-11-29-schedule-zone.ts'
import * as jobs from './2026-11-30-jobs.ts'

/** Every migration, oldest first by name. Forward only: another migration fixes a mistake. */
export const migrations: Record<string, Migration> = {
  '2026-11-21-foundation': foundation,
  '2026-11-21-limits': limits,
  '2026-11-21-outcomes': outcomes,
  '2026-11-21-pull': pull,
  '2026-11-21-site-detection': siteDetection,
  '2026-11-21-uncertain': uncertain,
  '2026-11-21-unrepeated': unrepeated,
  '2026-11-22-catalogs': catalogs,
  '2026-11-22-delivery-log': deliveryLog,
  '2026-11-22-generation': generation,
  '2026-11-22-lists': lists,
  '2026-11-22-vacuum': vacuum,
  '2026-11-23-delivery-days': deliveryDays,
  '2026-11-23-updated-posts': updatedPosts,
  '2026-11-23-visible-by-name': visibleByName,
  '2026-11-24-listed-posts': listedPosts,
  '2026-11-25-hours-of-lanes': hoursOfLanes,
  '2026-11-26-plain-words': plainWords,
  '2026-11-26-read-until': readUntil,
  '2026-11-26-sets-of-due-posts': setsOfDuePosts,
  '2026-11-27-revisions-by-time': revisionsByTime,
  '2026-11-27-times-as-fences': timesAsFences,
  '2026-11-27-times-as-generations': timesAsGenerations,
  '2026-11-27-who-works-for-long': whoWorksForLong,
  '2026-11-28-ended-sessions': endedSessions,
  '2026-11-28-login-networks': loginNetworks,
  '2026-11-28-markdown-for-sites': markdownForSites,
  '2026-11-28-plain-emails': plainEmails,
  '2026-11-28-plain-engine': plainEngine,
  '2026-11-28-words-of-posts': wordsOfPosts,
  '2026-11-29-first-published': firstPublished,
  '2026-11-29-schedule-zone': scheduleZone,
  '2026-11-30-jobs': jobs,
}
