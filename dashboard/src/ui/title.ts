import { useEffect } from 'react'

/** Names the tab of the browser after what is shown in it; undefined leaves its name as it is. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Postrider`
  }, [title])
}
