// Package vectors holds nothing but files: documents and decisions with the verdict
// that every implementation has to reach, described in README.md. Its tests walk
// the documents.
package vectors
