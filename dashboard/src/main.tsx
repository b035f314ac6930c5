import './design/index.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './queries.ts'
import { router } from './router.tsx'
import { Toasts } from './ui/toast.tsx'
import { Tooltips } from './ui/tooltip.tsx'

// A page older than the service asks for files that are gone: reload it, once.
addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem('postrider.reloaded') ?? 0)
  if (Date.now() - last < 10_000 || !navigator.onLine) return
  event.preventDefault()
  sessionStorage.setItem('postrider.reloaded', String(Date.now()))
  location.reload()
})

// Load the screens once the page has settled, so that they open without a connection.
setTimeout(async () => {
  for (const { options } of Object.values(router.routesById)) await options.component?.preload?.()
}, 3_000)

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no place for the application')

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Tooltips>
        <RouterProvider router={router} />
        <Toasts />
      </Tooltips>
    </QueryClientProvider>
  </StrictMode>,
)
