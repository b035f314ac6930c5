/** What the commands of authors say of their environment, in help. */
export const REACHES = `Reaches the service at POSTRIDER_URL (default http://localhost:3000) with POSTRIDER_TOKEN, a token of a
program: the dashboard makes one (Account, Programs). Without it, as \`login\` left it.`
