import { type BookRecord, firstBooks, firstMembers, type MemberRecord } from "./collection.ts";

export interface Book extends BookRecord {
  readonly onShelf: number;
  readonly waiting: number;
}

export interface Member extends MemberRecord {
  readonly openLoans: number;
}

export type LoanStatus = "open" | "overdue" | "returned";

export interface Loan {
  readonly loanId: string;
  readonly bookId: string;
  readonly memberId: string;
  /** Dates are `YYYY-MM-DD`. */
  readonly lentOn: string;
  readonly dueOn: string;
  readonly returnedOn?: string;
  readonly renewals: number;
  readonly status: LoanStatus;
}

export interface Reservation {
  readonly reservationId: string;
  readonly bookId: string;
  readonly memberId: string;
  /** One is next. */
  readonly position: number;
}

/** What the library cannot do: `not_found` names what is missing, `conflict` the rule that forbids it. */
export class LibraryError extends Error {
  readonly code: "not_found" | "conflict";
  constructor(code: "not_found" | "conflict", message: string) {
    super(message);
    this.name = "LibraryError";
    this.code = code;
  }
}

export type Library = ReturnType<typeof createLibrary>;

const LOAN_DAYS = 21;
const MAX_LOANS = 3;
const MAX_RENEWALS = 2;
const DAY = 24 * 60 * 60 * 1000;

/** A library with its first books and members, in memory. `now` gives milliseconds since the epoch. */
export function createLibrary(now: () => number) {
  const books = new Map(firstBooks.map((book) => [book.bookId, book]));
  const members = new Map(firstMembers.map((member) => [member.memberId, member]));
  const loans = new Map<string, Omit<Loan, "status">>();
  const reservations = new Map<string, Omit<Reservation, "position">>();
  const numbers = { book: books.size, member: members.size, loan: 0, reservation: 0 };

  return {
    searchBooks(search: { query?: string; available?: boolean; limit: number; offset: number }) {
      const words = (search.query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const found = [...books.values()]
        .filter((book) => words.every((word) => searchText(book).includes(word)))
        .map(describeBook)
        .filter((book) => search.available === undefined || book.onShelf > 0 === search.available)
        .sort((a, b) => a.title.localeCompare(b.title, "en"));
      return { total: found.length, books: found.slice(search.offset, search.offset + search.limit) };
    },

    getBook: (bookId: string): Book => describeBook(find(books, bookId, "book")),

    addBook(book: Omit<BookRecord, "bookId">): Book {
      for (const known of books.values()) {
        if (book.isbn !== undefined && known.isbn === book.isbn) {
          throw new LibraryError("conflict", `${known.bookId} has this ISBN already.`);
        }
      }
      const record = { bookId: next("book"), ...book };
      books.set(record.bookId, record);
      return describeBook(record);
    },

    getMember: (memberId: string): Member => describeMember(find(members, memberId, "member")),

    registerMember(member: Omit<MemberRecord, "memberId">): Member {
      for (const known of members.values()) {
        if (member.email !== undefined && known.email === member.email) {
          throw new LibraryError("conflict", `${known.memberId} has this address already.`);
        }
      }
      const record = { memberId: next("member"), ...member };
      members.set(record.memberId, record);
      return describeMember(record);
    },

    listLoans(filter: { memberId?: string; bookId?: string; status?: LoanStatus }): Loan[] {
      return [...loans.values()]
        .map(describeLoan)
        .filter((loan) => filter.memberId === undefined || loan.memberId === filter.memberId)
        .filter((loan) => filter.bookId === undefined || loan.bookId === filter.bookId)
        .filter((loan) => filter.status === undefined || loan.status === filter.status)
        .reverse();
    },

    getLoan: (loanId: string): Loan => describeLoan(find(loans, loanId, "loan")),

    lendBook(bookId: string, memberId: string): Loan {
      const book = describeBook(find(books, bookId, "book"));
      find(members, memberId, "member");
      const borrowed = openLoans().filter((loan) => loan.memberId === memberId);
      if (borrowed.some((loan) => loan.status === "overdue")) {
        throw new LibraryError("conflict", `${memberId} has to return an overdue book first.`);
      }
      if (borrowed.length >= MAX_LOANS) {
        throw new LibraryError("conflict", `${memberId} has ${MAX_LOANS} books already.`);
      }
      // A copy on the shelf is kept for whoever waits for it.
      const queue = waitingFor(bookId);
      const place = queue.findIndex((reservation) => reservation.memberId === memberId);
      if (book.onShelf <= (place === -1 ? queue.length : place)) {
        throw new LibraryError("conflict", `No copy of ${bookId} is free; it can be reserved.`);
      }
      const reserved = queue[place];
      if (reserved !== undefined) reservations.delete(reserved.reservationId);
      const loan = { loanId: next("loan"), bookId, memberId, lentOn: day(0), dueOn: day(LOAN_DAYS), renewals: 0 };
      loans.set(loan.loanId, loan);
      return describeLoan(loan);
    },

    renewLoan(loanId: string): Loan {
      const loan = findOpenLoan(loanId);
      if (loan.renewals >= MAX_RENEWALS) {
        throw new LibraryError("conflict", `${loanId} was renewed ${MAX_RENEWALS} times already.`);
      }
      if (waitingFor(loan.bookId).length > 0) throw new LibraryError("conflict", `Somebody waits for ${loan.bookId}.`);
      const renewed = { ...loan, dueOn: day(LOAN_DAYS), renewals: loan.renewals + 1 };
      loans.set(loanId, renewed);
      return describeLoan(renewed);
    },

    returnBook(loanId: string): Loan {
      const returned = { ...findOpenLoan(loanId), returnedOn: day(0) };
      loans.set(loanId, returned);
      return describeLoan(returned);
    },

    reserveBook(bookId: string, memberId: string): Reservation {
      const book = describeBook(find(books, bookId, "book"));
      find(members, memberId, "member");
      const queue = waitingFor(bookId);
      if (queue.some((reservation) => reservation.memberId === memberId)) {
        throw new LibraryError("conflict", `${memberId} waits for ${bookId} already.`);
      }
      if (book.onShelf > queue.length) throw new LibraryError("conflict", `A copy of ${bookId} is on the shelf.`);
      const reservation = { reservationId: next("reservation"), bookId, memberId };
      reservations.set(reservation.reservationId, reservation);
      return { ...reservation, position: queue.length + 1 };
    },

    cancelReservation(reservationId: string): void {
      find(reservations, reservationId, "reservation");
      reservations.delete(reservationId);
    },
  };

  function next(kind: keyof typeof numbers): string {
    numbers[kind] += 1;
    return `${kind}-${numbers[kind]}`;
  }

  function day(ahead: number): string {
    return new Date(now() + ahead * DAY).toISOString().slice(0, 10);
  }

  function describeBook(book: BookRecord): Book {
    const lent = openLoans().filter((loan) => loan.bookId === book.bookId).length;
    return { ...book, onShelf: book.copies - lent, waiting: waitingFor(book.bookId).length };
  }

  function describeMember(member: MemberRecord): Member {
    return { ...member, openLoans: openLoans().filter((loan) => loan.memberId === member.memberId).length };
  }

  function describeLoan(loan: Omit<Loan, "status">): Loan {
    const status = loan.returnedOn !== undefined ? "returned" : loan.dueOn < day(0) ? "overdue" : "open";
    return { ...loan, status };
  }

  function openLoans(): Loan[] {
    return [...loans.values()].map(describeLoan).filter((loan) => loan.status !== "returned");
  }

  function findOpenLoan(loanId: string): Omit<Loan, "status"> {
    const loan = find(loans, loanId, "loan");
    if (loan.returnedOn !== undefined) throw new LibraryError("conflict", `${loanId} was returned already.`);
    return loan;
  }

  function waitingFor(bookId: string): Omit<Reservation, "position">[] {
    return [...reservations.values()].filter((reservation) => reservation.bookId === bookId);
  }
}

function find<T>(records: ReadonlyMap<string, T>, id: string, kind: string): T {
  const record = records.get(id);
  if (record === undefined) throw new LibraryError("not_found", `There is no ${kind} ${JSON.stringify(id)}.`);
  return record;
}

function searchText(book: BookRecord): string {
  return [book.title, book.author, ...(book.subjects ?? [])].join(" ").toLowerCase();
}
