/** Writing a post. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { api, isMissing } from '../api.ts'
import { accountQuery, postQuery, queryClient, workingCopyQuery } from '../queries.ts'
import { onSignedInAgain, sessionEnded, useSessionEnded } from '../session.ts'
import { Problem, Skeleton } from '../ui/placeholder.tsx'
import { Deleted } from './editor/saving/deleted.tsx'
import { isNew, newPostId, nextNewPost, shelfOf } from './editor/saving/draft-shelf.ts'
import { OpenPost } from './editor/saving/open-post.ts'
import type { Stored } from './editor/saving/stored.ts'
import { Writing } from './editor/writing.tsx'

/** For posts created on this page: their local id before they were stored, by their id, so that the page continues unchanged. */
const formerIds = new Map<string, string>()

/**
 * Open posts whose page was left before everything was saved. They go on saving by themselves. Who opens the post again gets the same
 * one: two would each take what the other saves for somebody else's.
 */
const left = new Set<OpenPost>()

// A post whose save was refused without a session waits for one, and not only on its own page.
onSignedInAgain(() => {
  for (const openPost of left) openPost.tryAgain()
})

/** Takes back the open post with this id, if something of it is still to be saved. */
function takeBack(id: string): OpenPost | undefined {
  for (const openPost of left) {
    if (!openPost.view().dirty) left.delete(openPost)
    else if (openPost.id === id) return openPost
  }
  return undefined
}

/** The editor of the post in the address, or of a new one. */
export function Editor() {
  const { postId } = useParams({ from: '/inside/posts/$postId' })
  const { user } = useSuspenseQuery(accountQuery).data
  // An unsaved post keeps its local id.
  const id = useMemo(() => (postId === 'new' ? newPostId() : postId), [postId])
  return <Opened key={formerIds.get(id) ?? id} id={id} accountId={user.id} />
}

function Opened({ id, accountId }: { id: string; accountId: string }) {
  const navigate = useNavigate()
  const { draft } = useSearch({ from: '/inside/posts/$postId' })
  const post = useQuery({ ...postQuery(id), enabled: !isNew(id), refetchOnMount: 'always' })
  const [openPost, setOpenPost] = useState<OpenPost>()
  const opened = useRef(false)
  /** The post was deleted, and its text is to be a new one. */
  const [anew, setAnew] = useState(false)

  const open = useEffectEvent((stored: Stored | undefined) => {
    if (opened.current) return
    opened.current = true
    const openPost: OpenPost =
      takeBack(id) ??
      new OpenPost(id, stored, {
        api: api.posts,
        shelf: shelfOf(accountId),
        onSignedOut: sessionEnded,
        onCreated(formerId, created) {
          formerIds.set(created.id, formerId)
          nextNewPost()
          queryClient.setQueryData(postQuery(created.id).queryKey, created)
          // Nobody who has gone elsewhere is taken back.
          if (!left.has(openPost))
            void navigate({ to: '/posts/$postId', params: { postId: created.id }, replace: true })
        },
        onStored(post) {
          queryClient.setQueryData(postQuery(post.id).queryKey, post)
          // Lists contain it too; they are fetched again when they are next shown.
          void queryClient.invalidateQueries({ queryKey: ['posts'], refetchType: 'none' })
        },
      })
    setOpenPost(openPost)
  })
  const { data, isFetchedAfterMount } = post
  const hasChanges = data?.has_changes === true
  const changes = useQuery({ ...workingCopyQuery(id), enabled: hasChanges, refetchOnMount: 'always' })
  const isFetched = isFetchedAfterMount && (!hasChanges || changes.isFetchedAfterMount)
  const stored = useMemo((): Stored | undefined => {
    if (data === undefined || !isFetched) return undefined
    return { post: data, workingCopy: hasChanges ? (changes.data ?? undefined) : undefined }
  }, [data, isFetched, hasChanges, changes.data])
  useEffect(() => {
    if (isNew(id) || anew) open(undefined)
    else if (stored !== undefined) open(stored)
  }, [id, anew, stored])
  useEffect(() => {
    if (stored !== undefined) openPost?.observe(stored)
  }, [openPost, stored])
  useSafety(openPost)

  if (openPost !== undefined) return <Writing openPost={openPost} accountId={accountId} writtenBy={draft} />
  if (isMissing(post.error)) {
    const shelf = shelfOf(accountId)
    const copy = shelf.read(id)
    const forget = () => {
      shelf.remove(id)
      void navigate({ to: '/posts', replace: true })
    }
    if (copy !== undefined) return <Deleted copy={copy} onContinue={() => setAnew(true)} onForget={forget} />
  }
  const failed = [post, changes].find(({ isError }) => isError)
  if (failed !== undefined) return <Problem alone error={failed.error} retry={() => void failed.refetch()} />
  return (
    <div className="mx-auto grid w-full max-w-(--container-prose) gap-6 px-4 pt-24" aria-busy="true">
      <Skeleton className="h-10 w-2/3" />
      <Skeleton className="h-64" />
    </div>
  )
}

/** Keeps a copy and saves when the page may be about to close, and saves again when the service may be back. */
function useSafety(openPost: OpenPost | undefined): void {
  const ended = useSessionEnded()
  useEffect(() => {
    if (openPost === undefined) return
    left.delete(openPost)
    const leave = () => document.visibilityState === 'hidden' && openPost.leave()
    const go = () => openPost.leave()
    const back = () => openPost.tryAgain()
    const ask = (event: BeforeUnloadEvent) => {
      openPost.leave()
      // Only unsaved changes without a copy can be lost.
      if (openPost.view().dirty && !openPost.view().kept) event.preventDefault()
    }
    document.addEventListener('visibilitychange', leave)
    addEventListener('pagehide', go)
    addEventListener('online', back)
    addEventListener('beforeunload', ask)
    return () => {
      document.removeEventListener('visibilitychange', leave)
      removeEventListener('pagehide', go)
      removeEventListener('online', back)
      removeEventListener('beforeunload', ask)
      openPost.leave()
      // One that waits for a person is begun again from its copy, which another tab may have gone on with.
      const { dirty, kept } = openPost.view()
      if (dirty && (openPost.view().conflict === undefined || !kept)) left.add(openPost)
    }
  }, [openPost])
  // When somebody has signed in again; not at once, because another tab may write the post.
  useEffect(() => (ended ? () => openPost?.tryAgain() : undefined), [openPost, ended])
}
