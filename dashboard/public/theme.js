// Before anything is painted: the theme that was chosen by hand. A file of its own, because the policy allows no script in
// the page. src/shell/theme.ts writes what is read here.
try {
  const theme = localStorage.getItem('postrider.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; the system's theme it is.
}
