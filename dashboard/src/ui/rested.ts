import { useEffect, useState } from 'react'

const TYPING_MS = 200

/** The typed text, once typing pauses. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
