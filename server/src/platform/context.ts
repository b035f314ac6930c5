import type { Blobs } from './blobs/blobs.ts'
import type { Changes } from './changes/changes.ts'
import type { LiveStreams } from './changes/streams.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Keys } from './crypto.ts'
import type { Database } from './db/database.ts'
import type { Egress } from './egress/egress.ts'
import type { Ids } from './ids.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Signals } from './signals.ts'
import type { Traces } from './traces/traces.ts'

/** What the service is made of. Built once, by `createApp`; functions take the few fields they need. */
export type Context = {
  config: Config
  clock: Clock
  ids: Ids
  log: Log
  metrics: Metrics
  db: Database
  keys: Keys
  egress: Egress
  signals: Signals
  changes: Changes
  streams: LiveStreams
  traces: Traces
  /** Files of accounts; undefined where the operator has set no place for them. */
  blobs: Blobs | undefined
  /** The directory for files of the moment (`scratch.ts`). */
  scratch: string
}
