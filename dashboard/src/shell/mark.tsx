/** The post horn on its tile. */
export function Mark({ className = 'size-7' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-mark" />
      <g className="fill-horn stroke-horn" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="14" cy="18" r="5.6" fill="none" strokeWidth="2.2" />
        <path d="M5.5 12.4H18" fill="none" strokeWidth="2.2" />
        <path d="M18 11.3c3.4 0 6-1.2 8.2-3.8v9.8c-2.2-2.6-4.8-3.8-8.2-3.8Z" strokeWidth="1" />
      </g>
    </svg>
  )
}
