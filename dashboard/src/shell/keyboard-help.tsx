import { Dialog } from '../ui/dialog.tsx'
import { Keys, keysOf } from '../ui/keys.tsx'
import { useActions } from './actions.ts'

/** What can be pressed on this screen. */
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
              {members.map(({ does, keys = '' }) => (
                <li key={does} className="flex items-center justify-between border-b border-line py-1.5 last:border-0">
                  {does}
                  <Keys keys={keys} />
                  <span className="sr-only">: {keysOf(keys).join(' ')}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
