/**
 * The format of a backup: gzip'd lines of UTF-8.
 *
 *   line 1       the header: what made it, the schema it fits, its tables with columns and numbers of rows
 *   then         a row per line, table after table as in the header: a JSON array of the columns in PostgreSQL's own
 *                text form (null for NULL), which any PostgreSQL reads back as exactly the same values
 *   last line    the trailer: SHA-256 of every byte before it
 *
 * `zcat FILE | head -1` shows what a backup is.
 */
import { z } from 'zod'

/** Increased when old code cannot read files of the new kind. */
const FORMAT_VERSION = 1

const NAME = 'postrider-backup'

/** A table in a backup; its rows have the columns in this order. */
export type BackupTable = { name: string; columns: string[]; rows: number }

/** The first line. `migrations` are those applied, sorted; `keyFingerprint` (hex) is null when no key was used yet. */
export type BackupHeader = {
  format: typeof NAME
  formatVersion: number
  serviceVersion: string
  createdAt: string
  database: 'embedded' | 'postgres'
  migrations: string[]
  keyFingerprint: string | null
  /** The secret key itself, when the operator asked for it. */
  secretKey?: string | undefined
  tables: BackupTable[]
}

/** A file that is not a whole backup, or not one for this version. The message says what to do. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BackupError'
  }
}

const headerSchema = z.object({
  format: z.literal(NAME),
  formatVersion: z.literal(FORMAT_VERSION),
  serviceVersion: z.string(),
  createdAt: z.string(),
  database: z.enum(['embedded', 'postgres']),
  migrations: z.array(z.string()),
  keyFingerprint: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  secretKey: z.string().optional(),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()), rows: z.number().int().min(0) })),
})

const anyVersion = z.object({ format: z.literal(NAME), formatVersion: z.number() })
const trailerSchema = z.object({ sha256: z.string() })

/** The header as a line. */
export function headerLine(header: Omit<BackupHeader, 'format' | 'formatVersion'>): string {
  return `${JSON.stringify({ format: NAME, formatVersion: FORMAT_VERSION, ...header })}\n`
}

/** The trailer as a line. */
export function trailerLine(sha256: string): string {
  return `${JSON.stringify({ sha256 })}\n`
}

/** Reads the header. Throws BackupError for anything else, and for a format of another version. */
export function parseHeader(line: string): BackupHeader {
  const value = parseJson(line)
  const { data: version } = anyVersion.safeParse(value)
  if (version === undefined) throw new BackupError('This is not a backup made by Postrider.')
  if (version.formatVersion !== FORMAT_VERSION) {
    throw new BackupError(
      `This backup has format ${version.formatVersion}; this version of Postrider reads format ${FORMAT_VERSION}. Restore it with the version that made it.`,
    )
  }
  const { data: header } = headerSchema.safeParse(value)
  if (header === undefined) throw damaged('its first line is not a header')
  return header
}

/** The checksum that a trailer carries. Throws BackupError. */
export function parseTrailer(line: string): string {
  const { data: trailer } = trailerSchema.safeParse(parseJson(line))
  if (trailer === undefined) throw damaged('its last line is missing')
  return trailer.sha256
}

/** The error for a file that was changed or cut since it was made. */
export function damaged(how: string, cause?: unknown): BackupError {
  return new BackupError(`The backup is damaged: ${how}. Use another copy of it.`, { cause })
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Compares the migrations of a backup with those of this version: `fits` when they are this version's first ones (rows
 * can be loaded after exactly these, and the rest runs at the next start), `newer` when the backup has all of them and
 * more, `apart` when it lacks one that came before its last.
 */
export function fitOf(migrations: readonly string[], known: readonly string[]): 'fits' | 'newer' | 'apart' {
  if (!known.slice(0, migrations.length).every((name) => migrations.includes(name))) return 'apart'
  return migrations.every((name) => known.includes(name)) ? 'fits' : 'newer'
}
