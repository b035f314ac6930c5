import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useState } from 'react'
import { bestFirst, matchOf } from '../match.ts'
import { POST_STATUSES } from '../posts/status.ts'
import { Keys } from '../ui/keys.tsx'
import { type Declared, useActions } from './actions.ts'
import { type Found, useFound } from './found.ts'

/** The command palette: every available action, and posts and sites, by name. */
export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [words, setWords] = useState('')
  const actions = actionsFor(words, useActions())
  const found = useFound(words)
  const navigate = useNavigate()
  const choose = (act: () => void) => () => {
    onOpenChange(false)
    // After the dialog has restored the focus.
    requestAnimationFrame(act)
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
            <Radix.Title className="sr-only">Search</Radix.Title>
            <Command label="Search" loop shouldFilter={false}>
              <Command.Input
                dir="auto"
                placeholder="An action, a post or a site"
                value={words}
                onValueChange={setWords}
                className="h-12 w-full border-b border-line bg-transparent px-4 text-[1rem] outline-none"
              />
              <Command.List className="max-h-[50dvh] overflow-y-auto p-1.5">
                <Command.Empty className="px-2.5 py-6 text-center text-quiet">{NOTHING[found.standing]}</Command.Empty>
                {[...Map.groupBy(actions, ({ group }) => group)].map(([group, members]) => (
                  <Group key={group} heading={group}>
                    {members.map((action) => (
                      <Item key={action.does} value={nameOf(action)} onSelect={choose(action.run)}>
                        {action.does}
                        {action.keys !== undefined && <Keys keys={action.keys} />}
                      </Item>
                    ))}
                  </Group>
                ))}
                {found.sites.length > 0 && (
                  <Group heading="Your sites">
                    {found.sites.map(({ id: siteId, name }) => (
                      <Item
                        key={siteId}
                        value={siteId}
                        onSelect={choose(() => void navigate({ to: '/sites/$siteId', params: { siteId } }))}
                      >
                        <span dir="auto" className="clip flex-1">
                          {name}
                        </span>
                      </Item>
                    ))}
                  </Group>
                )}
                {/* Posts are listed last because they arrive last: nothing above them moves while somebody chooses. */}
                {found.posts.length > 0 && (
                  <Group heading="Your posts">
                    {found.posts.map(({ id: postId, title, status }) => (
                      <Item
                        key={postId}
                        value={postId}
                        onSelect={choose(() => void navigate({ to: '/posts/$postId', params: { postId } }))}
                      >
                        <span dir="auto" className="clip flex-1 font-serif">
                          {title}
                        </span>
                        <span className="text-sm text-faint">{POST_STATUSES[status].name}</span>
                      </Item>
                    ))}
                  </Group>
                )}
              </Command.List>
            </Command>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  )
}

const NOTHING: Record<Found['standing'], string> = {
  done: 'Nothing found.',
  looking: 'Searching posts',
  failed: 'No action or site was found, and posts cannot be searched right now.',
}

const nameOf = ({ group, does }: Declared) => `${group} ${does}`

/** The actions that match the words, best first; without words all. */
function actionsFor(words: string, all: readonly Declared[]): Declared[] {
  const shown = all.filter(({ hidden }) => hidden !== true)
  if (words.trim() === '') return shown
  return bestFirst(shown, ({ does, group, alsoFoundBy }) => matchOf(words, does, `${group} ${alsoFoundBy}`))
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-faint"
    >
      {children}
    </Command.Group>
  )
}

function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-9 cursor-default items-center justify-between gap-3 rounded-md px-2.5 py-1.5 data-[selected=true]:bg-hover"
    >
      {children}
    </Command.Item>
  )
}
