// A target of SwiftPM has a source file; this one has its pages in `Manual.docc`.
