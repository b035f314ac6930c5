import { useEffect, useState } from 'react'

const TYPING_MS = 200

/** What somebody types, once the fingers rest. */
export function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
