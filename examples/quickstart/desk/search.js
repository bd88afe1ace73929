const query = document.getElementById("query");
const list = document.getElementById("books");

query.addEventListener("input", async () => {
  const text = query.value;
  const response = await fetch(`api/books?${new URLSearchParams({ query: text })}`);
  // A script gets 401 when the session has ended. The page itself leads to the sign-in.
  if (response.status === 401) return location.reload();
  if (!response.ok) return;
  const { books } = await response.json();
  // An answer that comes late is of a text that has changed.
  if (text !== query.value) return;
  list.replaceChildren(...books.map(item));
});

function item({ title, author, onShelf }) {
  const element = document.createElement("li");
  element.textContent = `${title}, ${author}: ${onShelf} on the shelf`;
  return element;
}
