/** The events of a stream, as they are on the wire. `platform/changes` makes them. */
import { z } from 'zod'
import type { ChangeKind } from '../platform/changes/kinds.ts'
import { Id } from '../platform/http/endpoint.ts'

const Changed = z.object({ ids: z.array(Id).min(1) })
const Nothing = z.object({})

const eventOf = <Name extends string, Data extends z.ZodType>(event: Name, data: Data) =>
  z.object({ event: z.literal(event), data })
const changeOf = <Kind extends ChangeKind>(kind: Kind) => eventOf(`${kind}.changed`, Changed)

/** One event: its `event`, and its `data`, parsed. */
export const LiveEvent = z
  .discriminatedUnion('event', [
    eventOf('ready', Nothing),
    eventOf('resync', Nothing),
    changeOf('post'),
    changeOf('delivery'),
    changeOf('job'),
    changeOf('site'),
    changeOf('channel'),
    changeOf('incident'),
    changeOf('medium'),
  ])
  .openapi('LiveEvent')
