/** One picture: what it is called and shows, where it is used, and deleting it. */
import type { Medium } from '@postrider/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, problemOf, sentence } from '../../api.ts'
import { counted } from '../../format.ts'
import { shownAt } from '../../media/upload.ts'
import { mediumQuery, queryClient } from '../../queries.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { textOf } from '../../ui/form.ts'
import { Notice } from '../../ui/notice.tsx'

const FORM = 'picture'

/** The dialog. */
export function PictureDialog({ medium: listed, onClose }: { medium: Medium; onClose: () => void }) {
  const { data: medium = listed } = useQuery(mediumQuery(listed.id))
  const [isDeleting, setDeleting] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['media'] })
  const save = useMutation({
    mutationFn: (change: { name: string; alt: string }) => api.media.update(medium.id, change),
    async onSuccess() {
      await refresh()
      onClose()
    },
  })
  const error = (field: string) => problemOf(save.error, field)
  const uses = medium.used_in
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={<span dir="auto">{medium.name}</span>}
      actions={
        <>
          <Button onClick={() => setDeleting(true)}>Delete …</Button>
          <CopyButton words text={medium.url} what="the address" />
          <Button kind="primary" type="submit" form={FORM} busy={save.isPending}>
            Save
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-1 gap-5 md:grid-cols-2">
        <img
          src={shownAt(medium, 640)}
          alt={medium.alt}
          className="max-h-96 w-full rounded-md bg-well object-contain"
        />
        <form
          id={FORM}
          className="grid grid-cols-1 content-start gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            const form = new FormData(event.currentTarget)
            save.mutate({ name: textOf(form, 'name'), alt: textOf(form, 'alt') })
          }}
        >
          <Field
            label="Description"
            hint="For readers who cannot see it. It is proposed when the picture is inserted."
            error={error('alt')}
          >
            <Textarea name="alt" defaultValue={medium.alt} maxLength={1000} />
          </Field>
          <Field label="Name" error={error('name')}>
            <Input name="name" defaultValue={medium.name} maxLength={200} required />
          </Field>
          <p className="figures text-sm text-faint">
            {medium.width} × {medium.height} · {size(medium.bytes)} · {medium.type.slice(6).toUpperCase()}
          </p>
          <Uses uses={uses} />
          {save.isError && error('name') === undefined && error('alt') === undefined && (
            <Notice tone="failed">{sentence(save.error)}</Notice>
          )}
        </form>
      </div>
      <Confirm
        open={isDeleting}
        onOpenChange={setDeleting}
        title={`Delete “${medium.name}”?`}
        verb={uses.length === 0 ? 'Delete' : 'Delete all the same'}
        act={async () => {
          await api.media.delete(medium.id, { force: uses.length > 0 })
          onClose()
          await refresh()
        }}
      >
        {uses.length === 0 ? (
          <p>No post shows it. Its address leads nowhere afterwards.</p>
        ) : (
          <>
            <p>
              {counted(uses.length, 'post')} will lack it: its address leads nowhere afterwards. Sites that have copied
              it keep their copies. To replace it, change the {uses.length === 1 ? 'post' : 'posts'} first.
            </p>
            <Uses uses={uses} />
          </>
        )}
      </Confirm>
    </Dialog>
  )
}

function Uses({ uses }: { uses: Medium['used_in'] }) {
  if (uses.length === 0) return <p className="text-sm text-quiet">Not used in any post.</p>
  return (
    <div className="grid grid-cols-1 gap-1 text-sm">
      <p className="text-faint">Used in</p>
      <ul className="grid grid-cols-1 gap-0.5">
        {uses.map(({ id, title, status }) => (
          <li key={id} className="clip">
            {status === 'trash' ? (
              <span dir="auto">{title} (in the trash)</span>
            ) : (
              <Link to="/posts/$postId" params={{ postId: id }} dir="auto" className="underline">
                {title}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
