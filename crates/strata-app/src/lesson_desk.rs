//! What was opened for the lesson that goes on, kept until another one is taken up.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::AppError;

/// One thing, under its name. What it is, only those know who grade lessons: they stand above everything that holds a desk.
#[derive(Default)]
pub(crate) struct LessonDesk {
    open: Mutex<Option<(String, Arc<dyn Any + Send + Sync>)>>,
}

impl LessonDesk {
    /// What is kept under a name, made where something else is. Whoever asks meanwhile waits.
    pub(crate) fn open<T: Any + Send + Sync>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, AppError>,
    ) -> Result<Arc<T>, AppError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, kept)) = &*open
            && known == name
            && let Ok(kept) = kept.clone().downcast::<T>()
        {
            return Ok(kept);
        }
        let made = Arc::new(make()?);
        *open = Some((name.to_owned(), made.clone()));
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_the_desk_is_not_made_again() {
        let desk = LessonDesk::default();
        let first = desk.open("a", || Ok(1)).unwrap();
        assert!(Arc::ptr_eq(&first, &desk.open("a", || Ok(2)).unwrap()));
        assert_eq!(*desk.open("b", || Ok(3)).unwrap(), 3);
        assert_eq!(*desk.open("a", || Ok(4)).unwrap(), 4);
        // What cannot be made leaves what was there.
        assert!(desk.open::<i32>("c", || Err(AppError::internal("no"))).is_err());
        assert_eq!(*desk.open("a", || Ok(5)).unwrap(), 4);
    }
}
