import { type ComponentProps, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react'
import { Input } from '../../../ui/field.tsx'

type BufferedProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'ref'> & {
  value: string
  /** Called with the text once it is complete. */
  onCommit: (value: string) => void
}

/**
 * An input that commits its text once it is complete: on Enter, when it loses the focus, goes away or the page is left. So half an
 * address is not stored while somebody types the other half, and nothing changes while they type.
 */
export function Buffered({ value, onCommit, ...input }: BufferedProps) {
  const [typed, setTyped] = useState<string>()
  const now = useRef<string>(undefined)
  const type = (next: string | undefined) => {
    now.current = next
    setTyped(next)
  }
  const commit = useEffectEvent(() => {
    const next = now.current
    if (next === undefined) return
    type(undefined)
    if (next !== value) onCommit(next)
  })
  useEffect(() => {
    const leave = () => commit()
    // In the capture phase, before other listeners.
    addEventListener('pagehide', leave, true)
    document.addEventListener('visibilitychange', leave, true)
    return () => {
      removeEventListener('pagehide', leave, true)
      document.removeEventListener('visibilitychange', leave, true)
    }
  }, [])
  // React tells of no lost focus when the field goes away with it, as by Escape in a dialog. Before the post itself is left.
  useLayoutEffect(() => () => commit(), [])
  return (
    <Input
      {...input}
      value={typed ?? value}
      onChange={({ target }) => type(target.value)}
      onBlur={() => commit()}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        commit()
      }}
    />
  )
}
