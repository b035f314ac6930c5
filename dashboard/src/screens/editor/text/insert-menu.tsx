import type { Editor } from '@tiptap/core'
import { Plus } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { BLOCKS, type Block } from './blocks.tsx'

type InsertMenuProps = {
  editor: RefObject<Editor | undefined>
  /** A block was chosen that needs an address first. */
  onChoose: (block: Block) => void
}

/** The blocks that can be put at the caret. */
export function InsertMenu({ editor, onChoose }: InsertMenuProps) {
  return (
    <div className="ml-auto pb-1">
      <Menu
        trigger={
          <Button kind="quiet" size="sm" icon={<Plus />}>
            <span className="max-sm:sr-only">Insert</span>
          </Button>
        }
      >
        {BLOCKS.map((block) => (
          <MenuItem
            key={block.name}
            icon={block.icon}
            onSelect={() => {
              // After the menu has restored the focus.
              requestAnimationFrame(() => {
                const chain = editor.current?.chain().focus()
                if ('run' in block) chain && block.run(chain).run()
                else onChoose(block)
              })
            }}
          >
            {block.name}
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}
