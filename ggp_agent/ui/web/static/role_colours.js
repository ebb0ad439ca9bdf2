// The colours of roles, as classes of the style sheet: one colour per role in the bar, graphs, lines and lists of a game.

const NAMED = new Set(["red", "yellow", "white", "black", "blue", "green", "orange"]);

/** Return the class of each role's colour: the colour that the role is named after if all roles are, else one by number. */
export function roleColours(roles) {
  const named = roles.every((role) => NAMED.has(role.toLowerCase()) || role.toLowerCase() === "random");
  return new Map(roles.map((role, place) => [role, `role-${named ? role.toLowerCase() : place % 6}`]));
}
