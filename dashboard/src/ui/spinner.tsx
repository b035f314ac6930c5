/** Shows that something is in progress. It is hidden from screen readers: the busy element says so itself. */
export function Spinner() {
  return (
    <svg viewBox="0 0 16 16" className="size-4 animate-turn" fill="none" aria-hidden="true">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="2" opacity="0.25" />
      <path d="M14 8a6 6 0 0 0-6-6" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  )
}
