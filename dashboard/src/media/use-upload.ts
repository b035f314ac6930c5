import type { Medium } from '@postrider/sdk'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { sentence } from '../api.ts'
import { queryClient } from '../queries.ts'
import { uploadPicture } from './upload.ts'

/** How far an upload is: a share of it has been sent, or it failed and why. */
export type Uploading = { name: string; share: number } | { problem: string }

/** Uploads one picture at a time. Going away, or another upload, cancels the one under way. */
export function useUpload(onDone: (medium: Medium) => void) {
  const [state, setState] = useState<Uploading>()
  const running = useRef<AbortController>(undefined)
  const done = useEffectEvent(onDone)
  const cancel = () => {
    running.current?.abort()
    running.current = undefined
    setState(undefined)
  }
  const begin = async (file: File) => {
    running.current?.abort()
    const mine = new AbortController()
    running.current = mine
    setState({ name: file.name, share: 0 })
    const onProgress = (share: number) => running.current === mine && setState({ name: file.name, share })
    try {
      const medium = await uploadPicture(file, { onProgress, signal: mine.signal })
      void queryClient.invalidateQueries({ queryKey: ['media'] })
      if (running.current !== mine) return
      setState(undefined)
      done(medium)
    } catch (error) {
      if (!mine.signal.aborted) setState({ problem: `“${file.name}” was not uploaded. ${sentence(error)}` })
    }
  }
  useEffect(() => () => running.current?.abort(), [])
  return { state, begin, cancel }
}
