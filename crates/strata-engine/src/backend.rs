//! Where a Gemini model is called.

/// Which backend a Gemini model is called through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    #[default]
    AiStudio,
    Vertex,
}
