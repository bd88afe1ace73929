export interface BookRecord {
  readonly bookId: string;
  readonly title: string;
  readonly author: string;
  readonly isbn?: string | undefined;
  readonly subjects?: readonly string[] | undefined;
  readonly copies: number;
}

export interface MemberRecord {
  readonly memberId: string;
  readonly name: string;
  readonly email?: string | undefined;
}

/** What is on the shelves when the library opens. */
export const firstBooks: readonly BookRecord[] = [
  book(1, "The Left Hand of Darkness", "Ursula K. Le Guin", ["science fiction", "winter"], 2),
  book(2, "Frankenstein", "Mary Shelley", ["horror", "science fiction"], 3),
  book(3, "The Time Machine", "H. G. Wells", ["science fiction", "time"], 1),
  book(4, "Pride and Prejudice", "Jane Austen", ["romance", "society"], 2),
  book(5, "The Hound of the Baskervilles", "Arthur Conan Doyle", ["crime", "detectives"], 2),
  book(6, "Twenty Thousand Leagues Under the Seas", "Jules Verne", ["adventure", "sea"], 1),
  book(7, "Moby-Dick", "Herman Melville", ["adventure", "sea", "whales"], 1),
  book(8, "A Room of One's Own", "Virginia Woolf", ["essays", "writing"], 1),
  book(9, "The Art of Computer Programming, Volume 1", "Donald E. Knuth", ["computing", "algorithms"], 1),
  book(10, "On the Origin of Species", "Charles Darwin", ["biology", "evolution"], 1),
];

export const firstMembers: readonly MemberRecord[] = [
  { memberId: "member-1", name: "Ada Byron", email: "ada@library.example" },
  { memberId: "member-2", name: "Grace Murray", email: "grace@library.example" },
];

function book(number: number, title: string, author: string, subjects: readonly string[], copies: number): BookRecord {
  return { bookId: `book-${number}`, title, author, subjects, copies };
}
