import { Dialog } from '../ui/dialog.tsx'
import { Keys, keysOf } from '../ui/keys.tsx'
import { useActions } from './actions.ts'

/** The keyboard shortcuts of this screen; a second key for the same action is beside the first. */
export function KeyboardHelp({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const actions = useActions().filter(({ keys }) => keys !== undefined)
  const groups = Map.groupBy(actions, ({ group }) => group)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard">
      <div className="grid gap-5">
        {[...groups].map(([group, members]) => (
          <section key={group}>
            <h3 className="mb-1 text-sm text-faint">{group}</h3>
            <ul>
              {[...Map.groupBy(members, ({ does }) => does)].map(([does, ways]) => (
                <li key={does} className="flex items-center justify-between border-b border-line py-1.5 last:border-0">
                  {does}
                  <span className="inline-flex gap-2 text-sm text-faint" aria-hidden="true">
                    {ways.map(({ keys = '' }, index) => (
                      <span key={keys} className="inline-flex gap-2">
                        {index > 0 && 'or'}
                        <Keys keys={keys} />
                      </span>
                    ))}
                  </span>
                  <span className="sr-only">: {ways.map(({ keys = '' }) => keysOf(keys).join(' ')).join(' or ')}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
