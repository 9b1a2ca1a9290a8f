package wire

// Code is the class of a DecodeError. The list is closed and published: programs
// may branch on it, by errors.Is(err, wire.DuplicateKey) or by its text.
type Code string

// The classes of refusal, in no particular order.
const (
	Syntax       Code = "syntax"        // not JSON, or it ends too early
	UTF8         Code = "utf8"          // not valid UTF-8, a byte order mark, or half a surrogate pair
	DuplicateKey Code = "duplicate-key" // an object has the same name twice
	UnknownKey   Code = "unknown-key"   // a name that has no place here
	MissingKey   Code = "missing-key"   // an object ends without a name it must have
	WrongType    Code = "wrong-type"    // another JSON type than expected; a fraction for an integer
	Pattern      Code = "pattern"       // a string that its pattern does not match
	Length       Code = "length"        // a string with too many characters
	Range        Code = "range"         // an integer that is too small or too large
	Const        Code = "const"         // another value than the only one allowed
	Enum         Code = "enum"          // none of the values allowed
	TrailingData Code = "trailing-data" // something follows the document
	NewerVersion Code = "newer-version" // a version of the format that this program does not know
	NotCanonical Code = "not-canonical" // a valid value, but other bytes than its canonical rendering
	TooLarge     Code = "too-large"     // more bytes than a file may have
	NameMismatch Code = "name-mismatch" // the file's name and its content disagree
)

// Codes lists every Code that exists.
var Codes = [...]Code{
	Syntax, UTF8, DuplicateKey, UnknownKey, MissingKey, WrongType, Pattern, Length, Range,
	Const, Enum, TrailingData, NewerVersion, NotCanonical, TooLarge, NameMismatch,
}

// Error makes a Code usable as the target of errors.Is.
func (c Code) Error() string { return string(c) }
