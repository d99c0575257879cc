/**
 * A person's first name in a text, or null: a common one, written with a capital inside the sentence, that is no other
 * word and no program (SE-57, L3).
 */
export function firstNameIn(text: string): string | null {
  for (const [found] of text.matchAll(/(?<=\s)\p{Lu}\p{Ll}+(?=$|[\s,.;:!?)]|['’]s\b)/gu)) {
    if (NAMES.has(found)) return found;
  }
  return null;
}

/** Without those that are also months, things or programs: April, Mark, Ruby, Jenkins, Travis, Julia, Grace, Rose, Will ... */
const NAMES: ReadonlySet<string> = new Set(
  `Aaron Adam Adrian Ahmed Aisha Alan Albert Alejandro Alex Alexander Alexandra Alice Alison Amanda Amy Ana Andrea Andreas
  Andrew Angela Anita Anna Anne Anthony Antonio Arthur Barbara Ben Benjamin Bernd Bob Brandon Brian Carl Carlos Carol
  Caroline Catherine Charles Chen Chloe Chris Christian Christina Christine Christopher Claire Clara Claudia Daniel Daniela
  Dana Dave David Deborah Dennis Diego Dmitri Donald Dorothy Douglas Edward Elena Elizabeth Emily Emma Eric Erik Ethan Eva
  Fatima Felix Fernando Frank Gary George Gerald Giovanni Greg Gregory Hannah Hans Harold Heather Helen Henry Hiroshi Ian
  Igor Ingrid Irene Isabel Ivan Jack Jacob James Jan Jane Janet Jason Javier Jeff Jeffrey Jennifer Jeremy Jessica Jim Joan
  Joe John Jonas Jonathan Jose Joseph Joshua Juan Judith Justin Karen Karin Karl Katherine Kathryn Katja Keith Kelly Kenji
  Kenneth Kevin Klaus Kumar Larry Laura Lauren Leon Linda Lisa Luca Lucas Lucia Luis Lukas Manuel Marco Margaret Maria Marie
  Marina Mario Martha Martin Mary Mateo Matthew Matthias Maya Megan Mehmet Melissa Michael Michelle Miguel Mike Mohamed
  Mohammed Nadia Nancy Natalia Nicholas Nicole Nina Noah Oleg Olga Oliver Olivia Omar Pablo Pamela Patricia Patrick Paul
  Paula Pedro Peter Petra Philip Pierre Priya Rachel Rahul Rajesh Raymond Rebecca Richard Robert Roberto Roger Ronald Ryan
  Samantha Samuel Sandra Sanjay Sara Sarah Scott Sean Sergei Sergio Sharon Simon Sofia Sophia Sophie Stefan Stephanie
  Stephen Steve Steven Susan Svetlana Sven Sylvia Tatiana Thomas Tim Timothy Tobias Tom Uwe Valentina Vera Veronica Victor
  Victoria Vincent Vladimir Walter Wei William Yusuf Yuki Yuri Zoe`.split(/\s+/),
);
