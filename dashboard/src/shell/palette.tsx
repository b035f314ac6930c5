import { Command } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { Keys } from '../ui/keys.tsx'
import { type Declared, useActions } from './actions.ts'

const ITEM =
  'flex min-h-9 cursor-default items-center justify-between gap-3 rounded-md px-2.5 py-1.5 data-[selected=true]:bg-hover'

/** Everything that can be done, by name. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const actions = useActions().filter(({ hidden }) => hidden !== true)
  const groups = Map.groupBy(actions, ({ group }) => group)
  const run = (action: Declared) => {
    onOpenChange(false)
    // After the dialog has given the focus back.
    requestAnimationFrame(action.run)
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <div data-scrim className="fixed inset-0 z-40 animate-appear bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-40 flex items-start justify-center p-4 pt-[12dvh]">
          <Radix.Content
            aria-describedby={undefined}
            className="pointer-events-auto w-full max-w-dialog animate-rise overflow-clip rounded-lg bg-raised shadow-float focus:outline-none"
          >
            <Radix.Title className="sr-only">Commands</Radix.Title>
            <Command label="Commands" loop>
              <Command.Input
                placeholder="What would you like to do?"
                className="h-12 w-full border-b border-line bg-transparent px-4 text-[1rem] outline-none"
              />
              <Command.List className="max-h-[50dvh] overflow-y-auto p-1.5">
                <Command.Empty className="px-2.5 py-6 text-center text-quiet">Nothing is called that.</Command.Empty>
                {[...groups].map(([group, members]) => (
                  <Command.Group
                    key={group}
                    heading={group}
                    className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-faint"
                  >
                    {members.map((action) => (
                      <Command.Item
                        key={action.does}
                        value={`${group} ${action.does}`}
                        onSelect={() => run(action)}
                        className={ITEM}
                      >
                        {action.does}
                        {action.keys !== undefined && <Keys keys={action.keys} />}
                      </Command.Item>
                    ))}
                  </Command.Group>
                ))}
              </Command.List>
            </Command>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}
