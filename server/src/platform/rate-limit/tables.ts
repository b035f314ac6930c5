type RateLimitsTable = { bucket: string; window_ends_at: Date; used: number }

declare module '../db/tables.ts' {
  interface Tables {
    rate_limits: RateLimitsTable
  }
}
