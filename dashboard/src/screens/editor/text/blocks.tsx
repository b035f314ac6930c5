/** The blocks that can be inserted, for the slash menu and the menu beside it. */
import type { ChainedCommands } from '@tiptap/core'
import {
  Code2,
  Heading2,
  Heading3,
  Heading4,
  Image,
  List,
  ListChecks,
  ListOrdered,
  Minus,
  Pilcrow,
  Quote,
  Table,
  Video,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { Asking } from './address-dialog.tsx'

/** A block. `words`: other names for it. `keys`: what to type for it. It either does something or asks for an address. */
export type Block = { name: string; words: string; icon: ReactNode; keys?: string } & (
  | { run: (chain: ChainedCommands) => ChainedCommands }
  | { asks: Asking['kind'] }
)

/** In the order of the menu. */
export const BLOCKS: readonly Block[] = [
  {
    name: 'Heading',
    words: 'title section h2',
    icon: <Heading2 />,
    keys: '##',
    run: (c) => c.setHeading({ level: 2 }),
  },
  {
    name: 'Smaller heading',
    words: 'subtitle section h3',
    icon: <Heading3 />,
    keys: '###',
    run: (c) => c.setHeading({ level: 3 }),
  },
  { name: 'Smallest heading', words: 'h4', icon: <Heading4 />, keys: '####', run: (c) => c.setHeading({ level: 4 }) },
  { name: 'Text', words: 'paragraph plain', icon: <Pilcrow />, run: (c) => c.setParagraph() },
  { name: 'List', words: 'bullets unordered ul', icon: <List />, keys: '-', run: (c) => c.toggleBulletList() },
  { name: 'Numbered list', words: 'ordered ol', icon: <ListOrdered />, keys: '1.', run: (c) => c.toggleOrderedList() },
  { name: 'Tasks', words: 'todo checklist', icon: <ListChecks />, keys: '[ ]', run: (c) => c.toggleTaskList() },
  { name: 'Quote', words: 'blockquote citation', icon: <Quote />, keys: '>', run: (c) => c.toggleBlockquote() },
  { name: 'Code', words: 'pre block', icon: <Code2 />, keys: '```', run: (c) => c.toggleCodeBlock() },
  { name: 'Table', words: 'grid rows columns', icon: <Table />, run: (c) => c.insertTable({ rows: 3, cols: 3 }) },
  { name: 'Picture', words: 'image photo img', icon: <Image />, asks: 'image' },
  { name: 'Video', words: 'youtube vimeo embed', icon: <Video />, asks: 'embed' },
  { name: 'Line', words: 'rule divider hr', icon: <Minus />, keys: '---', run: (c) => c.setHorizontalRule() },
]

/** The blocks that match a few letters; those whose name begins with them come first. */
export function blocksFor(query: string): Block[] {
  const wanted = query.trim().toLowerCase()
  const rank = ({ name, words }: Block) => {
    if (name.toLowerCase().startsWith(wanted)) return 0
    return `${name} ${words}`
      .toLowerCase()
      .split(' ')
      .some((word) => word.startsWith(wanted))
      ? 1
      : 2
  }
  return BLOCKS.filter((block) => rank(block) < 2).sort((a, b) => rank(a) - rank(b))
}
