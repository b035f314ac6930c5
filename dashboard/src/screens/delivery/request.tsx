import type { DeliveryDetails } from '@postrider/sdk'
import { Code, CopyButton } from '../../ui/copy.tsx'
import { Sheet } from '../../ui/page.tsx'
import { curlOf } from './curl.ts'

/** A longer body is cut off on the screen, but copied whole. */
const SHOWN_CHARACTERS = 60_000

/** Exactly what an attempt made now would send. `refresh` has it signed again, because signatures are valid for minutes only. */
export function Request({ delivery: { request, event }, refresh }: { delivery: DeliveryDetails; refresh: () => void }) {
  if (request === null) {
    return (
      <Sheet title="Request">
        <p className="text-quiet">The site is not connected any more, so nothing would be sent.</p>
      </Sheet>
    )
  }
  const body = readable(request.body)
  return (
    <Sheet title="Request" aside={<CopyButton text={curlOf(request)} what="as curl" words onIntent={refresh} />}>
      <div className="grid grid-cols-1 gap-4">
        <p className="text-quiet">
          What an attempt would send now. Earlier attempts had other timestamps and signatures.
        </p>
        <p className="font-mono text-sm break-all">
          <b>{request.method}</b> {request.url}
        </p>
        <dl className="grid gap-x-4 gap-y-1 font-mono text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
          {Object.entries(request.headers).map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="break-all max-sm:mb-1.5">{value}</dd>
            </div>
          ))}
        </dl>
        <Code label={`${event}, JSON`} text={body.slice(0, SHOWN_CHARACTERS)} />
        {body.length > SHOWN_CHARACTERS && (
          <p className="text-sm text-faint">Shortened here; the curl command has all of it.</p>
        )}
      </div>
    </Sheet>
  )
}

/** The same with line ends and indentation. */
function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
