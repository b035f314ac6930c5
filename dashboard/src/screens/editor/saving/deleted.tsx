import { FileX } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/placeholder.tsx'
import { Ago } from '../../../ui/time.tsx'
import type { Copy } from './draft-shelf.ts'
import { firstWords } from './unsaved-drafts.tsx'

type DeletedProps = { copy: Copy; onContinue: () => void; onForget: () => void }

/** The post was deleted elsewhere, but this browser has changes to it that were never saved. */
export function Deleted({ copy, onContinue, onForget }: DeletedProps) {
  return (
    <Empty
      alone
      picture={<FileX />}
      title="This post was deleted"
      action={
        <>
          <Button kind="primary" onClick={onContinue}>
            Continue as a new post
          </Button>
          <Button kind="quiet" onClick={onForget}>
            Discard
          </Button>
        </>
      }
    >
      This browser still has what was written here <Ago at={new Date(copy.at).toISOString()} /> and not saved: “
      <bdi className="font-serif">{firstWords(copy)}</bdi>”
    </Empty>
  )
}
