import { type ComponentProps, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Input } from '../../ui/field.tsx'

type BufferedProps = Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'ref'> & {
  value: string
  /** What was typed, once it is complete. */
  onCommit: (value: string) => void
}

/**
 * A line that counts once it is complete: with Enter, when the focus leaves it or the page is left. Half an address is not
 * stored while somebody types the other half, and nothing changes under their hands.
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
    // Before anybody else hears of it.
    addEventListener('pagehide', leave, true)
    document.addEventListener('visibilitychange', leave, true)
    return () => {
      removeEventListener('pagehide', leave, true)
      document.removeEventListener('visibilitychange', leave, true)
    }
  }, [])
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
